import RejoinCore
import TestSupport
import Testing

/// Cutting texts without reading them.
struct JSONSkimmerTests {
  private func members(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    return JSONSkimmer.members(of: bytes)?.map { member in
      "\(String(decoding: bytes[member.name], as: UTF8.self)) \(String(decoding: bytes[member.value], as: UTF8.self))"
    }
  }

  private func elements(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    return JSONSkimmer.elements(of: bytes, in: bytes.indices)?.map {
      String(decoding: bytes[$0], as: UTF8.self)
    }
  }

  @Test func `members and elements are cut where they begin and end`() {
    #expect(
      members(#"{ "a" : [1, {"b": "]}\""}] , "c":-1.5e+3,"d":"x" ,"e":{}, "f":[ ] }"#)
        == [#""a" [1, {"b": "]}\""}]"#, #""c" -1.5e+3"#, #""d" "x""#, #""e" {}"#, #""f" [ ]"#])
    #expect(
      elements(#" [ 1 ,"a" , [] ,[[2]], {"a":{"b":3} } , true,false , null ] "#) == [
        "1", #""a""#, "[]", "[[2]]", #"{"a":{"b":3} }"#, "true", "false", "null",
      ])
    #expect(members("\u{feff}{}") == [])
    #expect(elements("[ ]") == [])
  }

  @Test func `what cannot be read does not hide what stands beside it`() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    for odd in [#""\ud800""#, #"{"a":1,"a":2}"#, "99999999999999999999", "1e999", deep] {
      #expect(elements("[1,\(odd),2]") == ["1", odd, "2"])
      #expect(members(#"{"a":\#(odd),"b":2}"#) == [#""a" \#(odd)"#, #""b" 2"#])
    }
    let bytes: [UInt8] = [0x5b, 0x22, 0xff, 0x22, 0x2c, 0x31, 0x5d]
    #expect(JSONSkimmer.elements(of: bytes, in: bytes.indices) == [1..<4, 5..<6])
  }

  @Test(arguments: [
    "", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "[[1}]", #"[{"a":1]]"#, #"[{"a" 1}]"#,
    #"[{"a":1,}]"#,
    "[{1:2}]", "[01]", "[1.]", "[.5]", "[+1]", "[-]", "[1e]", "[tru]", "[nulL]", "[\"a]", #"["\x"]"#,
    #"["\u12g4"]"#,
    "[\"\n\"]", "[] 1", "{}", "1", "[1]]",
  ])
  func `what is no array by the grammar is none`(_ text: String) { #expect(elements(text) == nil) }

  @Test(arguments: ["", "{", #"{"a":1"#, #"{"a":1,}"#, #"{"a"}"#, "{a:1}", "[]", "{} {}", #"{"a":1 "b":2}"#])
  func `what is no object by the grammar is none`(_ text: String) { #expect(members(text) == nil) }

  /// `REJOIN_SEEDS=100` draws a hundred times as many texts.
  @Test(arguments: Seeds.chunks(count: 2_000, size: 500))
  func `it finds in every text what the reader finds, and refuses what only the grammar forbids`(
    _ chunk: Seeds.Chunk
  ) {
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      let words = [
        "[", "]", "{", "}", ",", ":", "\"a\"", "\"b\"", "1", "-0.5e1", "true", "null", " ", "[1]",
        "{\"c\":[]}",
        "\"\\u0041\"",
      ]
      let text =
        "[" + (0..<generator.next() % 8).map { _ in words[Int(generator.next() % 16)] }.joined() + "]"
      let read = try? JSON(parsing: text)
      guard case .array(let known)? = read else {
        // A name that stands twice is all that the words can say against the reader alone.
        #expect(elements(text) == nil || text.contains("{"), "seed \(seed): \(text)")
        continue
      }
      #expect(elements(text)?.map { try? JSON(parsing: $0) } == known, "seed \(seed): \(text)")
    }
  }
}
