interface NavigationEntry {
  readonly to: '/' | '/problems' | '/calendar' | '/money' | '/events' | '/deliveries' | '/operations';
  readonly label: string;
  /** Beginnings of the addresses of its other parts. */
  readonly parts?: readonly string[];
  readonly needsAllParticipants?: true;
}

/** The pages of the navigation, in its order. */
export const PAGES: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview' },
  { to: '/problems', label: 'Problems', parts: ['/silences'] },
  { to: '/calendar', label: 'Settlement calendar', parts: ['/statements'] },
  { to: '/money', label: 'Money' },
  { to: '/events', label: 'Events' },
  { to: '/deliveries', label: 'Deliveries', parts: ['/sinks'] },
  { to: '/operations', label: 'Operations', needsAllParticipants: true },
];
