@_exported public import RejoinCore
