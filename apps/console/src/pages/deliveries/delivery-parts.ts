import type { Part } from '../../ui/sub-navigation.js';

/** The pages about deliveries. */
export const DELIVERY_PARTS: readonly Part[] = [
  { to: '/deliveries', label: 'Deliveries' },
  { to: '/sinks', label: 'Sinks' },
];
