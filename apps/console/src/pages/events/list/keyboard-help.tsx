import { useShortcutsSetting } from '../shortcuts.js';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['↓ ↑, j k', 'next and previous event'],
  ['Enter', 'opens the event'],
  ['/', 'goes to the search'],
  ['Escape', 'leaves a field, and returns from an event'],
];

export function KeyboardHelp() {
  const [isOn, setIsOn] = useShortcutsSetting();
  return (
    <details className="events-keys">
      <summary>Keyboard</summary>
      <dl className="facts">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="events-check">
        <input type="checkbox" checked={isOn} onChange={({ target }) => setIsOn(target.checked)} />
        Shortcuts of one character (j, k, /)
      </label>
    </details>
  );
}
