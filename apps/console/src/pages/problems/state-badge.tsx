import type { ProblemRow } from '../../api/operations.js';
import { Badge } from '../../ui/badge.js';

const TONES = { open: 'warning', acknowledged: 'info', resolved: 'good', closed: 'muted' } as const;

export function StateBadge({ state }: Pick<ProblemRow, 'state'>) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}
