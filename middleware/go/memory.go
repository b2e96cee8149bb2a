package site

import (
	queue "container/list"
	"sync"
)

// Memory remembers texts until their time is over. An error says that it cannot be asked: a notice gets 500 then and comes
// again, and who is signed in cannot be said. A store of ended sessions that forgets early says so as NewMemory's does, by
// Forgotten() int64: the latest time of those that made room before it was over.
type Memory interface {
	// Add answers "new", "known" or, of a store that forgets nothing early, "full".
	Add(text string, until, now int64) (string, error)
	Has(text string, now int64) (bool, error)
	Forget(text string)
}

// NewMemory is one of this process. Several processes share a store of their own. When it has no room left, the oldest make
// room: one account that signs in and out in a loop must not keep a website from hearing of the others.
func NewMemory(limit int) Memory {
	return &memory{limit: limit, entries: map[string]*queue.Element{}, order: queue.New()}
}

type memory struct {
	sync.Mutex
	limit   int
	entries map[string]*queue.Element
	// Of remembered, the oldest first.
	order *queue.List
	// The latest time of those that made room before it was over.
	early int64
}

type remembered struct {
	text  string
	until int64
}

func (m *memory) Add(text string, until, now int64) (string, error) {
	m.Lock()
	defer m.Unlock()
	if m.has(text, now) {
		return "known", nil
	}
	m.forget(text)
	for len(m.entries) >= m.limit {
		front := m.order.Front()
		if front == nil {
			return "full", nil
		}
		oldest := front.Value.(remembered)
		if oldest.until > now && oldest.until > m.early {
			m.early = oldest.until
		}
		m.forget(oldest.text)
	}
	m.entries[text] = m.order.PushBack(remembered{text, until})
	return "new", nil
}

func (m *memory) Has(text string, now int64) (bool, error) {
	m.Lock()
	defer m.Unlock()
	return m.has(text, now), nil
}

func (m *memory) Forget(text string) {
	m.Lock()
	defer m.Unlock()
	m.forget(text)
}

// Forgotten is the latest time of those that made room before it was over; 0 while none has.
func (m *memory) Forgotten() int64 {
	m.Lock()
	defer m.Unlock()
	return m.early
}

func (m *memory) has(text string, now int64) bool {
	element, found := m.entries[text]
	return found && element.Value.(remembered).until > now
}

func (m *memory) forget(text string) {
	if element, found := m.entries[text]; found {
		m.order.Remove(element)
		delete(m.entries, text)
	}
}
