/** The runs of a period in their order: the first, and three adjustments. */
export const RUNS = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'] as const;
