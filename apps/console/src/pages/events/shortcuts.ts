import { useEffect, useRef, useSyncExternalStore } from 'react';

/*
 * Shortcuts of one character can be turned off, because voice control and slips trigger them (WCAG 2.2, 2.1.4).
 */

const KEY = 'shortcuts';
const watchers = new Set<() => void>();

const areOn = (): boolean => localStorage.getItem(KEY) !== 'off';

export function useShortcutsSetting(): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  const isOn = useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, areOn);
  return [
    isOn,
    (value) => {
      localStorage.setItem(KEY, value ? 'on' : 'off');
      for (const each of watchers) each();
    },
  ];
}

/** Calls back on a key outside of fields and dialogs. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = current.current[event.key];
      if (action === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (isInField(event.target) || document.querySelector('dialog[open]') !== null) return;
      if (event.key.length === 1 && !areOn()) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null;
