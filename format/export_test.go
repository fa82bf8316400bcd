package format

// UsualSpent is the shorter way of DecodeSpent.
var UsualSpent = usualSpent
