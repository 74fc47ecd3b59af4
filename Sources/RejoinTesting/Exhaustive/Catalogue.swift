/// Numbers for things, from 0 in the order in which they turn up; equal things have one.
struct Catalogue<Thing: Hashable & Sendable>: Sendable {
  private(set) var things: [Thing] = []
  private var numbers: [Thing: Int] = [:]

  subscript(number: Int) -> Thing { things[number] }

  mutating func number(of thing: Thing) -> Int {
    if let number = numbers[thing] { return number }
    numbers[thing] = things.count
    things.append(thing)
    return things.count - 1
  }
}
