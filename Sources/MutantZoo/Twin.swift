/// Which of two twins a type of the zoo is: the right one, or the mutant with the classic fault.
public protocol Twin: Sendable {
  /// Whether the fault is there.
  static var isMutant: Bool { get }
}

/// The twin that keeps all promises.
public enum Right: Twin {
  /// It is not.
  public static var isMutant: Bool { false }
}

/// The twin with the fault.
public enum Mutant: Twin {
  /// It is.
  public static var isMutant: Bool { true }
}
