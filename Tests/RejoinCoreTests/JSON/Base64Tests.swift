import RejoinCore
import Testing

struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `bytes have the text of RFC 4648`(bytes: String, text: String) {
    #expect(Base64.encode(Array(bytes.utf8)) == text)
    #expect(Base64.decode(text) == Array(bytes.utf8))
  }

  @Test func `all bytes come back`() {
    for count in 0..<260 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode([0xfb, 0xff, 0xbf]) == "+/+/")
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "=", "====", "A===", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "Zm9v\n",
    "Zm-_",
    "Zg=a", "é==",
  ])
  func `other texts are refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
