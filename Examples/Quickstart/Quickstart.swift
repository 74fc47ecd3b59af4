@main enum Quickstart { static func main() {} }
