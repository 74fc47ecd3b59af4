# A copy of the sources in which faults are planted; read by the scripts that do so, from the root of the package.
#
# It lies in .build/planted-faults and is kept, so that only what a fault touches is built again. The working tree is
# never touched.
scratch=$PWD/.build/planted-faults
copy=$scratch/sources
mkdir -p "$copy"

# Makes the copy equal to the working tree; files that are equal already keep their times.
refresh() {
  local file
  { find Sources Tests Examples -type f; echo Package.swift; } | while read -r file; do
    cmp -s "$file" "$copy/$file" && continue
    mkdir -p "$(dirname "$copy/$file")"
    cp "$file" "$copy/$file"
  done
  (cd "$copy" && find . -type f) | while read -r file; do
    [ -e "$file" ] || rm "$copy/$file"
  done
}

# The copy lies within the repository, whose paths git must not take for those of the patch.
apply() { GIT_CEILING_DIRECTORIES=$scratch git -C "$copy" apply "$@"; }
