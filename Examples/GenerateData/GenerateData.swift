@main enum GenerateData { static func main() {} }
