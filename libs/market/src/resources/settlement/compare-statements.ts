import { fromUnits, scaleOf, toUnits, type Decimal } from '../../values/decimal.js';

/** A settlement variable of one trading day, as a statement prints it. */
export interface StatementVariable {
  readonly tradingDay: string;
  readonly variable: string;
  /** P: the operator pays; C: the participant pays. */
  readonly pOrC: string;
  readonly gstApplicable: string;
  /** A decimal in plain notation. */
  readonly value: string;
}

/** What differs in one variable of one trading day. */
export interface VariableDifference extends Omit<StatementVariable, 'value'> {
  /** Absent when the earlier statement does not have the variable. */
  readonly before?: Decimal;
  /** Absent when the later statement does not have the variable. */
  readonly after?: Decimal;
  /** `after` minus `before`; an absent amount counts as 0. */
  readonly difference: Decimal;
  /** Per cent of the sum of all absolute differences, rounded half up to two digits after the point. */
  readonly share: string;
}

export interface Change {
  readonly before: Decimal;
  readonly after: Decimal;
  readonly difference: Decimal;
}

export interface StatementComparison {
  /** The largest absolute difference first, then by trading day, variable, `pOrC` and `gstApplicable`. */
  readonly differences: readonly VariableDifference[];
  /** The sums of all variables. `net` is payment minus charge: what the operator pays on balance. */
  readonly totals: Readonly<Record<'payment' | 'charge' | 'net', Change>>;
}

/**
 * Compares the variables of two statements by trading day, variable, `pOrC` and `gstApplicable`. Amounts have the sign that the statement
 * prints: a positive difference is more to be paid, by the operator for P, by the participant for C. Amounts of a variable that a statement
 * has more than once are added. What has the same amount in both is left out, also when it is 0 in one and absent in the other.
 */
export function compareStatements(
  before: readonly StatementVariable[],
  after: readonly StatementVariable[],
): StatementComparison {
  return finish(compare(before, after));
}

/** As `compareStatements`, but others run in between: `pause` is called after each 10,000 variables, and resolves when it goes on. */
export async function compareLargeStatements(
  before: readonly StatementVariable[],
  after: readonly StatementVariable[],
  pause: () => Promise<unknown>,
): Promise<StatementComparison> {
  const steps = compare(before, after);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause();
  }
}

/** The variables of all trading days. */
export function listVariables<Variable extends Omit<StatementVariable, 'tradingDay'>, Day extends string>(
  tradingDays: readonly { readonly tradingDay: Day; readonly variables: readonly Variable[] }[],
): (Variable & { readonly tradingDay: Day })[] {
  return tradingDays.flatMap(({ tradingDay, variables }) =>
    variables.map((variable) => ({ tradingDay, ...variable })),
  );
}

/** The exact sums of differences. */
export function sumDifferences(
  differences: readonly (Omit<StatementVariable, 'value'> & { readonly difference: string })[],
): Readonly<Record<'payment' | 'charge', Decimal>> {
  const variables = differences.map((each) => ({ ...each, value: each.difference }));
  const scale = longestFraction(variables);
  const { payment, charge } = finish(addAmounts(new Map(), 'after', variables, scale));
  return { payment: formatAmount(payment, scale), charge: formatAmount(charge, scale) };
}

/** An amount in units of the longest fraction of both statements. */
interface Amount {
  readonly units: bigint;
  /** Digits after the point that the operator sent. */
  readonly digits: number;
}

interface Pair {
  readonly names: StatementVariable;
  before: Amount | undefined;
  after: Amount | undefined;
}

interface Changed {
  readonly pair: Readonly<Pair>;
  /** The difference. */
  readonly units: bigint;
  readonly size: bigint;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type Sums = Readonly<Record<'payment' | 'charge' | 'net', Amount>>;

const ZERO: Amount = { units: 0n, digits: 0 };

/** Variables between two steps. */
const STEP = 10_000;

/** Work in steps, so that others can run in between. */
type Steps<Result> = Generator<undefined, Result>;

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function* compare(
  before: readonly StatementVariable[],
  after: readonly StatementVariable[],
): Steps<StatementComparison> {
  const scale = Math.max(longestFraction(before), longestFraction(after));
  const pairs = new Map<string, Pair>();
  const sumsBefore = yield* addAmounts(pairs, 'before', before, scale);
  const sumsAfter = yield* addAmounts(pairs, 'after', after, scale);
  const changed = listChanged(pairs);
  yield;
  const all = changed.sort(largestFirst).reduce((sum, { size }) => sum + size, 0n);
  yield;
  const differences: VariableDifference[] = [];
  for (const each of changed) {
    if (differences.push(describe(each, all, scale)) % STEP === 0) yield;
  }
  const compareTotal = (name: keyof Sums): Change => compareSums(sumsBefore[name], sumsAfter[name], scale);
  const totals = {
    payment: compareTotal('payment'),
    charge: compareTotal('charge'),
    net: compareTotal('net'),
  };
  return { differences, totals };
}

function listChanged(pairs: ReadonlyMap<string, Pair>): Changed[] {
  const changed: Changed[] = [];
  for (const pair of pairs.values()) {
    const units = (pair.after?.units ?? 0n) - (pair.before?.units ?? 0n);
    if (units !== 0n) changed.push({ pair, units, size: units < 0n ? -units : units });
  }
  return changed;
}

function longestFraction(variables: readonly StatementVariable[]): number {
  return variables.reduce((longest, { value }) => Math.max(longest, scaleOf(value as Decimal)), 0);
}

/** Adds the amounts of one statement to the pairs. @returns their sums */
function* addAmounts(
  pairs: Map<string, Pair>,
  side: 'before' | 'after',
  variables: readonly StatementVariable[],
  scale: number,
): Steps<Sums> {
  let [payment, charge] = [ZERO, ZERO];
  let count = 0;
  for (const names of variables) {
    if (count > 0 && count % STEP === 0) yield;
    count += 1;
    const { tradingDay, variable, pOrC, gstApplicable } = names;
    const value = names.value as Decimal;
    const amount = { units: toUnits(value, scale), digits: scaleOf(value) };
    if (pOrC === 'P') payment = add(payment, amount);
    else if (pOrC === 'C') charge = add(charge, amount);
    const key = `${dayOf(tradingDay)}\n${pOrC}\n${gstApplicable}\n${variable}`;
    let pair = pairs.get(key);
    if (pair === undefined) pairs.set(key, (pair = { names, before: undefined, after: undefined }));
    const known = pair[side];
    pair[side] = known === undefined ? amount : add(known, amount);
  }
  return { payment, charge, net: add(payment, { ...charge, units: -charge.units }) };
}

const dayOf = (tradingDay: string): string => tradingDay.slice(0, 10);

function add(one: Amount, other: Amount): Amount {
  return { units: one.units + other.units, digits: Math.max(one.digits, other.digits) };
}

function compareSums(before: Amount, after: Amount, scale: number): Change {
  const difference = add(after, { ...before, units: -before.units });
  return {
    before: formatAmount(before, scale),
    after: formatAmount(after, scale),
    difference: formatAmount(difference, scale),
  };
}

function describe({ pair, units, size }: Changed, all: bigint, scale: number): VariableDifference {
  const { names, before, after } = pair;
  const { tradingDay, variable, pOrC, gstApplicable } = names;
  const digits = Math.max(before?.digits ?? 0, after?.digits ?? 0);
  const described: Writable<VariableDifference> = {
    tradingDay,
    variable,
    pOrC,
    gstApplicable,
    difference: formatAmount({ units, digits }, scale),
    share: fromUnits((size * 20_000n + all) / (2n * all), 2),
  };
  // Without a spread, which takes long for many thousand variables.
  if (before !== undefined) described.before = formatAmount(before, scale);
  if (after !== undefined) described.after = formatAmount(after, scale);
  return described;
}

/** With the digits that the operator sent. @param scale that of the units */
function formatAmount({ units, digits }: Amount, scale: number): Decimal {
  return fromUnits(digits === scale ? units : units / 10n ** BigInt(scale - digits), digits);
}

function largestFirst(one: Changed, other: Changed): number {
  if (one.size !== other.size) return one.size > other.size ? -1 : 1;
  return compareNames(one.pair.names, other.pair.names);
}

function compareNames(one: StatementVariable, other: StatementVariable): number {
  return (
    compareTexts(dayOf(one.tradingDay), dayOf(other.tradingDay)) ||
    compareTexts(one.variable, other.variable) ||
    compareTexts(one.pOrC, other.pOrC) ||
    compareTexts(one.gstApplicable, other.gstApplicable)
  );
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
