import type { Part } from '../../ui/sub-navigation.js';

/** The pages about problems. */
export const PROBLEM_PARTS: readonly Part[] = [
  { to: '/problems', label: 'Problems' },
  { to: '/silences', label: 'Silences' },
];
