package site

import "sync"

const (
	// Seconds for which nobody asks again after Drawbridge failed.
	outagePause = 2
	// How many answers of 500 and above in a row are an outage. One alone may be about one visitor.
	outageAnswers = 3
)

// outage remembers that Drawbridge failed: nobody waits for it for two seconds, and then one at a time, until it answers.
type outage struct {
	sync.Mutex
	// When it failed last; nil while it is not away.
	failed *int64
	// Answers of 500 and above in a row; no answer at all counts for as many as are an outage.
	bad       int
	isProbing bool
}

func (o *outage) begin(now int64) (isProbe, mayAsk bool) {
	o.Lock()
	defer o.Unlock()
	if o.failed == nil {
		return false, true
	}
	// A clock that was set back keeps nobody away.
	if o.isProbing || now >= *o.failed && now-*o.failed < outagePause {
		return false, false
	}
	o.isProbing = true
	return true, true
}

func (o *outage) end(isProbe bool, counts int, now int64) {
	o.Lock()
	defer o.Unlock()
	o.bad += counts
	if counts == 0 {
		o.bad = 0
	}
	o.failed = nil
	if o.bad >= outageAnswers {
		o.failed = &now
	}
	if isProbe {
		o.isProbing = false
	}
}
