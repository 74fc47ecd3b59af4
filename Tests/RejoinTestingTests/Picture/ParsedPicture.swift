import Foundation
#if canImport(FoundationXML)
import FoundationXML
#endif

/// A picture as an XML parser reads it.
final class ParsedPicture: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
    var parent: Int?
  }

  private(set) var elements: [Element] = []
  private(set) var isWellFormed = false
  private var open: [Int] = []

  init(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    isWellFormed = parser.parse()
  }

  /// The elements of a name, and with a class if one is asked for.
  func elements(_ name: String, class style: String? = nil) -> [Element] {
    elements.filter { element in
      let styles = element.attributes["class"]?.split(separator: " ").map(String.init) ?? []
      return element.name == name && (style.map(styles.contains) ?? true)
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append(Element(name: elementName, attributes: attributes, parent: open.last))
    open.append(elements.count - 1)
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
  ) {
    open.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if let index = open.last { elements[index].text += string }
  }
}
