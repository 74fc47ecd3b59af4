/// Where everything in the picture of a trace has its place, before anything is drawn.
///
/// A space-time diagram on the left, time going downwards, and words on the right: lines never run through words.
/// Source: Lamport, *Time, Clocks, and the Ordering of Events in a Distributed System* (1978).
struct TraceLayout: Hashable, Sendable {
  /// The whole picture.
  var size = Box(x: 0, y: 0, width: 0, height: 0)

  var stripes: [Stripe] = []
  var lanes: [Lane] = []
  var arrows: [Arrow] = []
  var marks: [Mark] = []
  var labels: [Label] = []

  /// The line along which a replica lives.
  struct Lane: Hashable, Sendable {
    var replica: Int
    var x: Int
    var top: Int
    var bottom: Int
  }

  /// A surface behind everything else.
  struct Stripe: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case step
      case note
      /// Where a promise was broken.
      case failure
      /// Behind the last words, when one was broken.
      case verdict
      /// Behind the last words, when none was.
      case peace
    }

    var kind: Kind
    var box: Box
  }

  /// A sign for something that happened at a place.
  struct Mark: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case operation
      /// Where a message leaves or arrives.
      case message
      case refusal
      /// Where nothing was sent, as there was nothing to say.
      case silence
      /// What a message runs into whose link is cut.
      case cut
      case loss
      /// Where a message is when the history ends.
      case underWay
      case meeting
      case save
      case crash
      case clock
      /// At the end of a lane: this replica shows something wrong.
      case wrong
    }

    var kind: Kind
    var centre: Point

    /// Whether this is where a promise was broken.
    var isFailure = false

    /// From the centre to the edge, and to the ring around what failed.
    var reach: Int { isFailure ? innerReach + 4 : innerReach }

    private var innerReach: Int {
      switch kind {
      case .message, .silence, .meeting, .underWay: 4
      case .cut, .loss, .save: 5
      case .operation, .refusal, .clock: 6
      case .wrong: 8
      case .crash: 10
      }
    }

    var box: Box { Box(around: centre, reach: reach) }
  }

  /// The way of a message, from the centre of a mark to that of another one; heads stop at the marks' edges.
  struct Arrow: Hashable, Sendable {
    enum Head: Hashable, Sendable {
      case none
      case atEnd
      case atBothEnds
    }

    var points: [Point]
    var head: Head

    /// For messages that came to nothing.
    var isDashed = false
  }

  /// Some words.
  struct Label: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case heading
      case letter
      case number
      case step
      case shown
      case note
      case outcome
      case verdict
      case reason
      case footnote
    }

    var kind: Kind
    var box: Box
    var text: FittedText

    /// Whether it belongs to what went wrong.
    var isFailure = false

    var style: TextStyle { TextStyle(kind) }

    /// What the words themselves take up.
    var textBox: Box {
      let width = text.columns * style.advance
      let height = text.lines.count * style.lineHeight
      let x =
        switch style.alignment {
        case .start: box.x
        case .middle: box.x + (box.width - width) / 2
        case .end: box.right - width
        }
      return Box(x: x, y: box.y + (box.height - height) / 2, width: width, height: height)
    }
  }
}

/// How large words are.
struct TextStyle: Hashable, Sendable {
  enum Alignment: Hashable, Sendable {
    case start
    case middle
    case end
  }

  let size: Int
  let lineHeight: Int
  let alignment: Alignment

  /// The width of a column: no common font of fixed width needs more than 0.602 of its size.
  let advance: Int

  init(_ kind: TraceLayout.Label.Kind) {
    switch kind {
    case .letter: (size, advance, lineHeight, alignment) = (15, 10, 20, .middle)
    case .number: (size, advance, lineHeight, alignment) = (11, 7, 16, .end)
    case .outcome: (size, advance, lineHeight, alignment) = (11, 7, 14, .middle)
    case .footnote: (size, advance, lineHeight, alignment) = (11, 7, 15, .start)
    case .heading: (size, advance, lineHeight, alignment) = (14, 9, 19, .start)
    case .step, .shown, .note, .verdict, .reason:
      (size, advance, lineHeight, alignment) = (13, 8, 17, .start)
    }
  }
}
