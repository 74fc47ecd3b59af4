import Foundation

/// What a load cost, tenth by tenth.
struct LoadReport {
  private let rows: Int
  private var total = LoadCost()
  private var loaded = 0
  private var tenths: [Tenth] = []
  private var counted = 0
  private var found = 0
  private var megabytes: [String: Double] = [:]

  /// What one tenth cost, and what the process had held by its end.
  private struct Tenth {
    var rows: Int
    var cost: LoadCost
    var peak: Int?
    var resident: Int?
    var rate: Double { Double(rows) / cost.total.seconds }
    /// Rows for a second of the process's own work, which says the same on a machine that others use.
    var rateAtWork: Double { Double(rows) / (cost.decoding.work + cost.store.work).seconds }
  }

  init(rows: Int) {
    self.rows = rows
  }

  private var before = LoadCost()

  /// Adds a page, after which so many rows are loaded.
  mutating func add(_ cost: LoadCost, rows now: Int) {
    total = total + cost
    loaded = now
    guard loaded >= (tenths.count + 1) * rows / 10, loaded > counted else { return }
    tenths.append(
      Tenth(
        rows: loaded - counted, cost: total - before, peak: ProcessMemory.peak, resident: ProcessMemory.now))
    counted = loaded
    before = total
  }

  /// Takes up what is in the files afterwards.
  mutating func finish(_ count: Int, file: String) {
    found = count
    for ending in ["", "-wal"] {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file + ending)
      megabytes[ending] = (attributes?[.size] as? Int).map { Double($0) / 1e6 }
    }
  }

  /// The rate so far.
  var rowsPerSecond: Int { total.total > .zero ? Int(Double(loaded) / total.total.seconds) : 0 }

  /// The rate of the last tenth as a share of the first's.
  private func steadiness(_ rate: (Tenth) -> Double) -> Double? {
    guard let first = tenths.first, let last = tenths.last else { return nil }
    return rate(last) / rate(first)
  }

  /// Whether all rows are there.
  var isComplete: Bool { found == rows }

  /// What is not as it should be.
  var misses: [String] {
    var misses: [String] = []
    if !isComplete { misses.append("\(found) of \(rows) rows are there") }
    if let steadiness = steadiness(\.rateAtWork), steadiness < 0.9 {
      misses.append("the last tenth is slower than the first")
    }
    return misses
  }

  /// All of it for people.
  var table: String {
    var lines = [
      line([
        "tenth", "rows/s", "network", "decoding", "store", "SQLite", "x", "work", "SQLite", "x", "peak MB",
        "now MB",
      ])
    ]
    for (number, tenth) in tenths.enumerated() {
      lines.append(line(cells("\(number + 1)", tenth.rows, tenth.cost, tenth.peak, tenth.resident)))
    }
    lines.append(line(cells("all", loaded, total, tenths.last?.peak, tenths.last?.resident)))
    lines += [
      "Times are milliseconds for 1000 rows; x is the store's beside that of SQLite alone, first on the wall, then in",
      "the process's own work.",
      "Last tenth / first tenth: \(decimal(steadiness(\.rate), 2)) on the wall, \(decimal(steadiness(\.rateAtWork), 2)) at work",
    ]
    let share = { (part: Spent) in decimal(part.wall.seconds / total.total.seconds * 100, 0) + " %" }
    lines.append(
      "Of the time, network \(share(total.network)), decoding \(share(total.decoding)), store "
        + share(total.store))
    if let first = tenths.first?.peak, let peak = tenths.last?.peak {
      lines.append("Peak memory grew by \(decimal(Double(peak - first) / 1e6, 1)) MB after the first tenth.")
    }
    lines.append("File \(decimal(megabytes[""], 1)) MB, its log \(decimal(megabytes["-wal"], 1)) MB")
    lines += misses.map { "MISSED: \($0)" }
    return lines.joined(separator: "\n")
  }

  private func cells(_ name: String, _ rows: Int, _ cost: LoadCost, _ peak: Int?, _ resident: Int?)
    -> [String]
  {
    let each = { (part: Duration) in decimal(part.seconds * 1e6 / Double(rows), 1) }
    let ratio = { (part: KeyPath<Spent, Duration>) in
      cost.raw[keyPath: part] > .zero
        ? cost.store[keyPath: part].seconds / cost.raw[keyPath: part].seconds : nil
    }
    return [
      name, decimal(Double(rows) / cost.total.seconds, 0), each(cost.network.wall), each(cost.decoding.wall),
      each(cost.store.wall), each(cost.raw.wall), decimal(ratio(\.wall), 2), each(cost.store.work),
      each(cost.raw.work), decimal(ratio(\.work), 2), decimal(peak.map { Double($0) / 1e6 }, 1),
      decimal(resident.map { Double($0) / 1e6 }, 1),
    ]
  }

  private func line(_ cells: [String]) -> String {
    cells.map { String(repeating: " ", count: max(9 - $0.count, 0)) + $0 }.joined(separator: " ")
  }

  private func decimal(_ number: Double?, _ places: Int) -> String {
    number.map { String(format: "%.\(places)f", $0) } ?? "-"
  }
}
