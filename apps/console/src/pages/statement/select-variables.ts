import type { StatementVariable } from '../../api/operations.js';
import { compareAmounts, withoutSign } from '../../format/amount.js';

export const ORDERS = ['statement', 'largest'] as const;
export type VariableOrder = (typeof ORDERS)[number];

interface Selection {
  /** Part of the name or of the trading day; an empty one matches all. */
  readonly text: string;
  readonly order: VariableOrder;
}

/** The variables that match, in the order of the statement or with the largest amounts first. */
export function selectVariables(
  variables: readonly StatementVariable[],
  { text, order }: Selection,
): readonly StatementVariable[] {
  const wanted = text.toLowerCase();
  const matching = variables.filter(
    ({ variable, tradingDay }) => variable.toLowerCase().includes(wanted) || tradingDay.includes(wanted),
  );
  if (order === 'statement') return matching;
  return matching.toSorted((one, other) => compareAmounts(withoutSign(other.value), withoutSign(one.value)));
}

/** The side of a variable, in words. */
export const SIDES: Readonly<Record<string, string>> = { P: 'payment', C: 'charge' };
