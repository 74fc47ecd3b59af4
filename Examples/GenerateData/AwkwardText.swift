/// Texts that code which handles names tends to get wrong.
///
/// Invisible and combining characters are written as escapes: an editor that normalizes text must not change
/// what is made.
enum AwkwardText {
  /// Nicknames; each stands at least once in the accounts.
  static let nicknames: [String] = [
    "",
    " ",
    "Ren\u{e9}e",  // composed
    "Rene\u{301}e",  // decomposed: equal to the last for Swift's String, other bytes
    "\u{1e69}ule",  // s with two marks, composed
    "s\u{307}\u{323}ule",  // the marks in the order that normalization swaps
    "\u{ac01}\u{d798}",  // Hangul syllables
    "\u{1100}\u{1161}\u{11a8}\u{1112}\u{1175}\u{11c3}",  // Hangul as single letters
    "\u{212b}ngstr\u{f6}m",  // the sign for the unit: its normal form is another character
    "Z\u{336}a\u{335}\u{328}l\u{334}\u{30a}\u{302}\u{301}g\u{337}o\u{338}\u{33f}",
    "نورا",
    "דנה \u{202e}txt.exe",  // with a mark that turns the reading direction
    "\u{2066}abc\u{2069} مريم 123",
    "山田太郎",
    "𠮷野家",  // outside the basic plane
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "🏳\u{fe0f}\u{200d}🌈 🇳🇱 👍🏽",
    "🧑🏿\u{200d}🚀",
    "say \"hi\"",
    "C:\\new\\table",
    "one\ntwo\r\nthree\tfour",
    "null",
    "nul\u{0}byte",
    "\u{0}",
    "\u{1}\u{1f}\u{7f}\u{85}",
    "\u{feff}marked",  // begins with a byte order mark
    "line\u{2028}paragraph\u{2029}",
    "\u{fffd}\u{fffe}\u{10ffff}",
    "'; DROP TABLE accounts; --",
    "<b>&amp;</b>",
    "{\"json\": [1, null]}",
    "İstanbul ıspanak straße ẞ ﬁ",  // letters whose case mapping changes their number
    String(repeating: "long ", count: 1_000),
    String(repeating: "長", count: 3_000),
    String(repeating: "👩\u{200d}🔬", count: 1_000),
    "e" + String(repeating: "\u{301}", count: 4_000),  // one character of 8,001 bytes
    String(repeating: "\\\"\n", count: 1_500),
  ]

  /// E-mail addresses that stand once each, besides the ordinary ones.
  static let emails: [String] = [
    "",
    "no-at-sign",
    "\"quoted \\\" part\"@example.com",
    "plus+tag@example.com",
    "ivan@почта.example",
    "名前@例え.example",
    "نورا@مثال.example",
    "👩\u{200d}🔬@example.com",
    "jos\u{e9}@example.com",
    "jose\u{301}@example.com",  // differs from the last in normal form only
    "Grace.Hopper@example.com",
    "grace.hopper@example.com",  // differs from the last in case only
    String(repeating: "a", count: 4_000) + "@example.com",
  ]

  /// Names of providers that are hardly slugs, besides the ordinary ones.
  static let providerSlugs: [String] = ["", "caf\u{e9}", "cafe\u{301}", "with \"quotes\" and \\", "云-ai"]
}
