/// What the demo's pages need beyond the product's own sheet.
enum DemoStyle {
    static let sheet = """
        .demo { display: grid; gap: 1.5rem; align-items: start; }
        .demo > * { min-width: 0; }
        .demo .card + .card { margin-top: 0; }
        .lead { font-size: 1.1rem; }
        .card > h2:first-child { margin-top: 0; }
        .road { margin: 0 0 1rem; padding: 0; list-style: none; counter-reset: step; display: grid; gap: 0.75rem; }
        .road li { counter-increment: step; display: grid; grid-template-columns: 2rem 1fr; gap: 0.75rem; }
        .road li::before {
            content: counter(step); display: grid; place-items: center; width: 2rem; height: 2rem;
            border-radius: 50%; background: var(--accent); color: var(--on-accent); font-weight: 650;
        }
        .phone {
            width: 100%; max-width: 22rem; margin: 0 auto; padding: 0.75rem; border-radius: 2.5rem; background: #10131c;
            box-shadow: var(--shadow); border: 1px solid #2d3850;
        }
        .phone .screen {
            border-radius: 1.9rem; background: var(--card); padding: 1.5rem 1.25rem 1.25rem; min-height: 25rem;
            display: flex; flex-direction: column;
        }
        .phone .speaker {
            width: 5rem; height: 0.4rem; margin: -0.5rem auto 1rem; border-radius: 1rem; background: var(--line);
        }
        .phone h2 { margin-top: 0; }
        .phone form { display: flex; flex-direction: column; gap: 0.75rem; flex: 1; }
        .phone fieldset {
            margin: 0; padding: 0; border: 0; min-width: 0;
            display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem;
        }
        .phone fieldset .choice { flex-wrap: wrap; }
        .phone legend { padding: 0; margin-bottom: 0.4rem; font-weight: 600; }
        .phone .push { margin-top: auto; display: grid; gap: 0.6rem; padding-top: 1rem; }
        .choice {
            display: flex; align-items: center; gap: 0.5rem 0.75rem; margin: 0; padding: 0.55rem 0.75rem;
            border: 1px solid var(--line); border-radius: 12px; font-weight: 500; cursor: pointer;
        }
        .choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
        .choice input { flex: none; width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
        .face {
            display: inline-grid; place-items: center; width: 2.25rem; height: 2.25rem; flex: none;
            border-radius: 50%; background: var(--ground); border: 1px solid var(--line); font-weight: 650;
        }
        .who { display: flex; align-items: center; gap: 0.75rem; margin-bottom: 1rem; }
        .who p { margin: 0; }
        .facts { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: 0.35rem 1rem; margin: 0 0 1rem; }
        .facts dt { color: var(--quiet); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .wire { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 22rem; overflow-y: auto; }
        .lines { display: grid; gap: 0.5rem; margin: 0 0 1rem; }
        .lines .wire { margin: 0; }
        .lines .button { justify-self: end; width: auto; }
        .list { margin: 0 0 1rem; padding: 0; list-style: none; }
        .list li { display: flex; gap: 0.75rem; align-items: center; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
        .list li:last-child { border-bottom: 0; }
        .list small { display: block; color: var(--quiet); }
        .tabs { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; margin: 0 0 1rem; }
        .tabs [aria-current] { font-weight: 650; color: var(--ink); text-decoration: none; }
        @media (min-width: 52rem) {
            .demo.two { grid-template-columns: minmax(0, 1fr) 22rem; grid-template-rows: auto 1fr; }
            .demo.two .phone { width: 100%; grid-column: 2; grid-row: 1 / span 2; align-self: stretch; }
            .demo.two .phone .screen { height: 100%; box-sizing: border-box; }
            .demo.two .happens { grid-column: 1; grid-row: 2; }
            .demo.two .below { grid-column: 1 / -1; }
        }
        """
}
