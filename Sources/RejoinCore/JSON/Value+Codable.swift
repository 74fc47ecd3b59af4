extension Value: Codable {
  /// Reads the text of a value's JSON form.
  ///
  /// A record's property of this type holds the value itself; the text is for encoders of others.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      self = try Value(json: JSON(parsing: text))
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the JSON form of a value")
    }
  }

  /// Writes the text of the value's JSON form, which comes back bit for bit.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json.text())
  }
}
