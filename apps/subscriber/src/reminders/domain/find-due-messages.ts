import {
  findMatchingRules,
  findWithholding,
  isCritical,
  type AlertRule,
  type OperatorConfig,
} from '@ssb/config';
import { findCovering, type Silence } from '../../silences/domain/silence.js';
import type { WithheldReason } from '../../domain/delivery-kind.js';
import { endOfPause, startOfNextMinute } from '../../domain/pauses.js';
import type { LastMessage, RemindedProblem, SinkHistory } from './sink-history.js';

/** A message about a problem that is due now. */
export interface DueMessage {
  readonly kind: 'reminder' | 'escalation';
  readonly sink: string;
  /** It is recorded, and sent when nothing withholds it any more. */
  readonly withheld: WithheldReason | undefined;
}

export interface DueMessages {
  readonly messages: readonly DueMessage[];
  /** When to decide again, unless something changes earlier; undefined when no time makes a message due. */
  readonly nextAt: Date | undefined;
}

export interface DueContext {
  readonly config: Pick<OperatorConfig, 'alerts'>;
  /** Those that apply now. */
  readonly silences?: readonly Silence[];
  /** By the clock of the database. */
  readonly now: Date;
}

/** The rules that match the alerts of one sink, and name it. */
interface SinkRules {
  readonly history: SinkHistory;
  readonly rules: readonly AlertRule[];
}

/**
 * Decides which reminders and escalations of an open or acknowledged problem are due. Rules are matched with the newest event of which a sink
 * got an alert, and with the present severity of the problem.
 */
export function findDueMessages(
  problem: RemindedProblem,
  histories: readonly SinkHistory[],
  context: DueContext,
): DueMessages {
  if (problem.severity === 'info') return { messages: [], nextAt: undefined };
  const matched = histories.map((history) => ({ history, rules: findRules(problem, history, context) }));
  const decision = new Decision(problem, context);
  const escalated = decision.escalate(matched, histories);
  for (const each of matched) if (!escalated.has(each.history.sink)) decision.remind(each);
  return decision.result;
}

function findRules(
  { participant, severity, kind: problem }: RemindedProblem,
  { sink, alert }: SinkHistory,
  { config }: DueContext,
): readonly AlertRule[] {
  if (alert === undefined) return [];
  const facts = { ...alert, participant, severity, problem };
  return findMatchingRules(config, facts).filter(({ sinks }) => sinks.includes(sink));
}

class Decision {
  private readonly messages: DueMessage[] = [];
  private readonly times: number[] = [];
  private readonly isCritical: boolean;
  private readonly isSilenced: boolean;

  constructor(
    private readonly problem: RemindedProblem,
    private readonly context: DueContext,
  ) {
    this.isCritical = isCritical(problem.severity, problem.type);
    this.isSilenced = findCovering(context.silences ?? [], { ...problem, problem: problem.kind }).length > 0;
  }

  get result(): DueMessages {
    const { messages, times } = this;
    return { messages, nextAt: times.length === 0 ? undefined : new Date(Math.min(...times)) };
  }

  /** @returns the sinks that get an escalation now */
  escalate(matched: readonly SinkRules[], histories: readonly SinkHistory[]): ReadonlySet<string> {
    const due = new Map<string, { rules: AlertRule[]; roundBegan: Date }>();
    for (const rule of this.context.config.alerts.rules) {
      const { escalate } = rule;
      const covered = matched.filter(({ rules }) => rules.includes(rule)).map(({ history }) => history);
      const roundBegan = this.beginOfRound(covered);
      if (escalate === undefined || roundBegan === undefined) continue;
      const open = escalate.sinks.filter((sink) => !wasEscalated(histories, sink, roundBegan));
      if (open.length === 0 || !this.isOver(roundBegan, escalate.after)) continue;
      for (const sink of open) {
        const others = due.get(sink)?.rules ?? [];
        due.set(sink, { rules: [...others, rule], roundBegan });
      }
    }
    for (const [sink, { rules, roundBegan }] of due) {
      const last = findHistory(histories, sink)?.lastEscalation;
      const before = last !== undefined && last.at >= roundBegan ? last.withheld : undefined;
      this.add('escalation', sink, this.findWithholding(rules), before);
    }
    return new Set(this.messages.map(({ sink }) => sink));
  }

  remind({ history, rules }: SinkRules): void {
    const { last, sink } = history;
    // A sink that accepts nothing gets one message when it does again, not one for each pause.
    if (last.isPending) return;
    // A fault of deliveries also goes to sinks that no rule names.
    const isBeyondRules = history.alert !== undefined && last.withheld === 'silenced';
    if (rules.length === 0 && !isBeyondRules) return;
    const timed = rules.filter((rule) => this.pauseOf(rule) !== undefined);
    if (this.isOwed(last)) {
      const withholding = last.kind === 'alert' || timed.length === 0 ? rules : timed;
      this.add('reminder', sink, this.findWithholding(withholding), last.withheld);
      return;
    }
    const from = this.problem.state === 'open' ? last.at : latest(last.at, history.acknowledgedAt);
    const sending = timed.filter((rule) => this.findWithholding([rule]) === undefined);
    const pauses = (sending.length > 0 ? sending : timed).map((rule) => this.pauseOf(rule) ?? '');
    // Each pause counts: the shortest of them decides.
    const isDue = pauses.map((pause) => this.isOver(from, pause)).includes(true);
    if (isDue) this.add('reminder', sink, this.findWithholding(timed), undefined);
  }

  /** What was withheld from the sink is sent once nothing withholds it any more. A minimal interval ends with the next event. */
  private isOwed({ withheld }: LastMessage): boolean {
    return this.problem.state === 'open' && (withheld === 'muted' || withheld === 'silenced');
  }

  /** @param before why the message was withheld when it became due; it is then recorded already */
  private add(
    kind: DueMessage['kind'],
    sink: string,
    withheld: WithheldReason | undefined,
    before: WithheldReason | undefined,
  ): void {
    if (withheld !== undefined) this.times.push(startOfNextMinute(this.context.now).getTime());
    if (withheld === undefined || before === undefined) this.messages.push({ kind, sink, withheld });
  }

  private pauseOf({ remindEvery, remindAcknowledgedEvery }: AlertRule): string | undefined {
    return this.problem.state === 'open' ? remindEvery : remindAcknowledgedEvery;
  }

  /** An acknowledged problem is escalated only while none of the sinks has accepted an alert. */
  private beginOfRound(covered: readonly SinkHistory[]): Date | undefined {
    if (this.problem.state === 'open') return earliest(covered.map(({ openSince }) => openSince));
    if (covered.some(({ hasAccepted }) => hasAccepted)) return undefined;
    return earliest(covered.map(({ firstAlertAt }) => firstAlertAt));
  }

  private findWithholding(rules: readonly AlertRule[]): WithheldReason | undefined {
    if (this.isSilenced) return 'silenced';
    return findWithholding(rules, { at: this.context.now, isCritical: this.isCritical });
  }

  /** Whether the pause after a time is over. If not, its end is a time to decide again. */
  private isOver(from: Date, pause: string): boolean {
    const end = endOfPause(from, pause).getTime();
    if (end <= this.context.now.getTime()) return true;
    this.times.push(end);
    return false;
  }
}

function wasEscalated(histories: readonly SinkHistory[], sink: string, since: Date): boolean {
  const last = findHistory(histories, sink)?.lastEscalation;
  return last !== undefined && last.withheld === undefined && last.at >= since;
}

function findHistory(histories: readonly SinkHistory[], sink: string): SinkHistory | undefined {
  return histories.find((each) => each.sink === sink);
}

function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined).map((time) => time.getTime());
  return known.length === 0 ? undefined : new Date(Math.min(...known));
}

function latest(a: Date, b: Date | undefined): Date {
  return b !== undefined && b > a ? b : a;
}
