import Rejoin
import RejoinSQLite

struct Account: Record {
  static let collection: Collection = "accounts"
  var id: RecordID
  var email: String
  var nickname: String?
}

@main
enum Quickstart {
  static func main() throws {
    let phone = try Replica(at: "phone.sqlite")
    let laptop = Replica()

    let id = phone.newID()
    try phone.insert(Account(id: id, email: "ada@example.com"))
    try laptop.merge(phone.delta(since: laptop.version))

    try phone.update(Account.self, id) { $0.nickname = "Work" }
    try laptop.update(Account.self, id) { $0.email = "ada@example.org" }
    try phone.append(["text": "signed in"], to: "activity")
    try phone.sync(with: laptop)

    print(try phone.all(Account.self)[0], try phone.digest() == laptop.digest())
  }
}
