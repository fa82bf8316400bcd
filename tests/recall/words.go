package main

// A notion is a subject with several names. Sessions use the first; questions
// use any of them. Names in same are other forms of the first, names in other
// share no stem with it.
type notion struct {
	said        string
	same, other []string
}

var components = []notion{
	{"invoice service", []string{"invoicing service", "invoice services"}, []string{"billing backend"}},
	{"search indexer", []string{"search index", "indexing for search"}, []string{"lookup builder"}},
	{"login page", []string{"page for logins", "login pages"}, []string{"sign-in screen"}},
	{"mail queue", []string{"queue for mails", "mail queues"}, []string{"outgoing message buffer"}},
	{"image resizer", []string{"resizing of images", "image resizing"}, []string{"thumbnail maker"}},
	{"payment gateway", []string{"gateway for payments", "payments gateway"}, []string{"checkout provider"}},
	{"report exporter", []string{"exporting of reports", "report export"}, []string{"spreadsheet dump"}},
	{"session store", []string{"store of sessions", "sessions store"}, []string{"login state keeper"}},
	{"rate limiter", []string{"rate limiting", "limiter of rates"}, []string{"throttle"}},
	{"webhook dispatcher", []string{"dispatching of webhooks", "webhooks dispatcher"}, []string{"callback sender"}},
	{"audit trail", []string{"audit trails", "trail of audits"}, []string{"compliance history"}},
	{"feature flags", []string{"flags for features", "feature flag"}, []string{"toggles"}},
	{"customer importer", []string{"import of customers", "customers importer"}, []string{"client loader"}},
	{"price calculator", []string{"calculation of prices", "price calculation"}, []string{"quote engine"}},
	{"geo lookup", []string{"geo lookups", "lookup of geo data"}, []string{"location resolver"}},
	{"chat widget", []string{"widget for chats", "chat widgets"}, []string{"support bubble"}},
	{"backup runner", []string{"running of backups", "backups runner"}, []string{"snapshot job"}},
	{"metrics collector", []string{"collection of metrics", "metric collector"}, []string{"telemetry agent"}},
	{"stock ledger", []string{"ledger of stock", "stock ledgers"}, []string{"inventory book"}},
	{"coupon engine", []string{"coupons engine", "engine for coupons"}, []string{"discount logic"}},
	{"video encoder", []string{"encoding of videos", "videos encoder"}, []string{"clip transcoder"}},
	{"address validator", []string{"validation of addresses", "address validation"}, []string{"postal checker"}},
	{"push notifier", []string{"push notifications", "pushes"}, []string{"mobile alerts"}},
	{"tax module", []string{"module for taxes", "taxes module"}, []string{"VAT part"}},
	{"survey builder", []string{"building of surveys", "surveys builder"}, []string{"questionnaire editor"}},
	{"document parser", []string{"parsing of documents", "documents parser"}, []string{"file reader"}},
	{"calendar sync", []string{"syncing of calendars", "calendars sync"}, []string{"appointment bridge"}},
	{"fraud scorer", []string{"scoring of fraud", "fraud scoring"}, []string{"abuse detector"}},
	{"label printer", []string{"printing of labels", "labels printer"}, []string{"sticker output"}},
	{"shipping planner", []string{"planning of shipping", "shipping plans"}, []string{"delivery scheduler"}},
}

var places = []notion{
	{"staging", []string{"staging"}, []string{"the test system"}},
	{"production", []string{"production"}, []string{"the live system"}},
	{"the European region", []string{"the European region"}, []string{"Europe"}},
	{"the nightly run", []string{"nightly runs"}, []string{"the job at night"}},
}

// An aspect is a setting with its possible values.
type aspect struct {
	notion
	values []string
}

var aspects = []aspect{
	{notion{"timeout", []string{"timeouts"}, []string{"patience before it gives up"}}, []string{"3 seconds", "12 seconds", "45 seconds", "90 seconds"}},
	{notion{"retry limit", []string{"limit of retries"}, []string{"number of further attempts"}}, []string{"2", "4", "7", "11"}},
	{notion{"port", []string{"ports"}, []string{"socket it listens on"}}, []string{"8443", "9090", "7001", "5544"}},
	{notion{"pool size", []string{"size of the pool"}, []string{"how many connections are kept"}}, []string{"15", "40", "64", "120"}},
	{notion{"log level", []string{"level of logging"}, []string{"verbosity"}}, []string{"debug", "info", "warning", "error"}},
	{notion{"cache lifetime", []string{"lifetime of the cache"}, []string{"how long things are remembered"}}, []string{"5 minutes", "20 minutes", "2 hours", "a day"}},
	{notion{"batch size", []string{"size of batches"}, []string{"how many go in one bundle"}}, []string{"50", "200", "750", "3000"}},
	{notion{"memory limit", []string{"limit of memory"}, []string{"how much RAM it may take"}}, []string{"256 MB", "700 MB", "1.5 GB", "6 GB"}},
	{notion{"owner", []string{"owners"}, []string{"person in charge"}}, []string{"Priya", "Tomasz", "Aiko", "Lamine"}},
	{notion{"schedule", []string{"scheduling"}, []string{"when it starts"}}, []string{"02:15", "04:40", "every 10 minutes", "on Mondays"}},
	{notion{"compression", []string{"compressing"}, []string{"way data is made smaller"}}, []string{"zstd", "gzip", "brotli", "none"}},
	{notion{"serialization format", []string{"format of serialization"}, []string{"encoding on the wire"}}, []string{"protobuf", "msgpack", "JSON", "CBOR"}},
	{notion{"worker count", []string{"count of workers"}, []string{"parallelism"}}, []string{"3", "6", "10", "24"}},
	{notion{"alert threshold", []string{"threshold for alerts"}, []string{"point at which somebody is paged"}}, []string{"1 %", "3 %", "8 %", "20 %"}},
	{notion{"retention period", []string{"period of retention"}, []string{"how long records are kept"}}, []string{"14 days", "60 days", "one year", "seven years"}},
	{notion{"key rotation", []string{"rotation of keys"}, []string{"renewal of credentials"}}, []string{"weekly", "every 90 days", "monthly", "by hand"}},
}

// saidByUser are the sentences that state a fact; %[1]s is the aspect, %[2]s
// the component, %[3]s the place, %[4]s the value.
var saidByUser = []string{
	"please set the %[1]s of the %[2]s in %[3]s to %[4]s",
	"for %[3]s we agreed on a %[1]s of %[4]s for the %[2]s",
	"note: %[2]s, %[3]s, %[1]s is %[4]s from now on",
	"the %[1]s for the %[2]s should be %[4]s in %[3]s, everything else stays",
}

var saidByModel = []string{
	"After measuring I would choose %[4]s as the %[1]s of the %[2]s in %[3]s.",
	"Done. The %[2]s in %[3]s now has a %[1]s of %[4]s.",
	"The configuration says that the %[1]s of the %[2]s in %[3]s is %[4]s.",
	"I changed the %[1]s of the %[2]s to %[4]s, for %[3]s only.",
}

var correctedByUser = []string{
	"the %[1]s of the %[2]s in %[3]s was wrong, make it %[4]s",
	"change of plan for the %[2]s in %[3]s: %[1]s %[4]s",
	"we have to correct the %[1]s of the %[2]s in %[3]s, it is %[4]s now",
}

// asked are the sentences that ask for a fact.
var asked = []string{
	"What is the %[1]s of the %[2]s in %[3]s?",
	"Which %[1]s did we choose for the %[2]s in %[3]s?",
	"Do you remember what we decided about the %[1]s of the %[2]s for %[3]s?",
	"I need the %[1]s for the %[2]s, %[3]s. What was it?",
	"%[3]s, %[2]s: %[1]s?",
}

// idleUser are sentences without facts.
var idleUser = []string{
	"the test for the %[2]s is flaky in %[3]s, can you look", "rename the helper in the %[2]s", "why does the %[2]s import the %[1]s twice",
	"add a comment about the %[1]s of the %[2]s", "what does the %[2]s do when the disk is full", "update the readme of the %[2]s",
	"review the change of the %[2]s before it goes to %[3]s", "the build of the %[2]s is red", "write a unit test for the %[1]s of the %[2]s",
}

var idleModel = []string{
	"I looked at the %[2]s: the test waits for a file that another test removes. I gave each its own folder.",
	"Renamed, and all callers changed. The tests of the %[2]s pass.",
	"The %[2]s reads the %[1]s once at the start and once for each request; the second is not needed.",
	"In %[3]s the %[1]s of the %[2]s is read from the environment, elsewhere from a file.",
	"Added. The comment says where the %[1]s comes from and who reads it.",
	"It stops with an error and tells how many bytes were missing. Nothing is lost in the %[2]s.",
	"The change is small and safe. One name could be clearer.",
	"The build failed because a module of the %[2]s was not pinned. It is green again.",
	"The readme of the %[2]s says now how to start it and what it needs.",
	"There is a test now; it fails without the change, as it should.",
}
