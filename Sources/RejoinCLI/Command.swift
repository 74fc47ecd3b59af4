@main enum Command { static func main() {} }
