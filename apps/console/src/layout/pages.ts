import type { LinkProps } from '@tanstack/react-router';

interface NavigationEntry {
  readonly to: NonNullable<LinkProps['to']>;
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
