interface NavigationEntry {
  readonly to: '/' | '/problems' | '/calendar' | '/money' | '/events' | '/deliveries' | '/operations';
  readonly label: string;
  readonly needsAllParticipants?: true;
}

/** The pages of the navigation, in its order. */
export const PAGES: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview' },
  { to: '/problems', label: 'Problems' },
  { to: '/calendar', label: 'Settlement calendar' },
  { to: '/money', label: 'Money' },
  { to: '/events', label: 'Events' },
  { to: '/deliveries', label: 'Deliveries' },
  { to: '/operations', label: 'Operations', needsAllParticipants: true },
];
