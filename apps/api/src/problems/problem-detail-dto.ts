import { SEVERITIES } from '@ssb/events';
import { Flag, Integer, Members, Parts, Text, Time } from '../http/fields.js';
import { SilenceRow } from '../silences/silence-dto.js';
import { ProblemRow } from './problem-dto.js';

/** A change of a problem, by an event or by a person. */
export class ProblemChange {
  @Integer({ description: 'Counts the changes of the problem from 1.' }) readonly number!: number;
  @Time({ description: 'When it changed.' }) readonly at!: Date;
  @Text({ description: 'opened, worsened, lowered, updated, acknowledged, resolved or closed.' })
  readonly kind!: string;
  @Text({ description: 'Severity afterwards.', values: SEVERITIES }) readonly severity!: string;
  @Text({ description: 'Level of a margin afterwards.', optional: true }) readonly level?: string;
  @Members({ description: 'Figures of the event.', optional: true })
  readonly figures?: Readonly<Record<string, string>>;
  @Text({ description: 'Id of the event that changed it.', optional: true }) readonly eventId?: string;
  @Text({ description: 'Type of that event.', optional: true }) readonly type?: string;
  @Text({ description: 'Who changed it.', optional: true }) readonly author?: string;
  @Text({ description: 'What that person wrote.', optional: true }) readonly comment?: string;
  @Text({ description: 'Id of the request, if the caller may see it.', optional: true })
  readonly requestId?: string;
}

/** What was sent about a problem to one sink. */
export class ProblemDelivery {
  @Text({ description: 'Id of the message that the sink sees.' }) readonly eventId!: string;
  @Text({ description: 'Name of the sink.' }) readonly sink!: string;
  @Text({ description: 'State of the delivery.' }) readonly state!: string;
  @Text({ description: 'alert, reminder, escalation, resolved or notice.' }) readonly kind!: string;
  @Text({ description: 'Severity of the message.', values: SEVERITIES }) readonly severity!: string;
  @Time({ description: 'When it was added.' }) readonly addedAt!: Date;
  @Integer({ description: 'Attempts so far. Those of a digest are for callers of all participants.' })
  readonly attempts!: number;
  @Text({ description: 'How the last attempt ended.', optional: true }) readonly lastOutcome?: string;
  @Time({ description: 'When the sink accepted it.', optional: true }) readonly acceptedAt?: Date;
  @Time({ description: 'When a refused delivery is attempted again.', optional: true })
  readonly nextAttemptAt?: Date;
  @Text({ description: 'Why a rule or a silence withholds it.', optional: true }) readonly withheld?: string;
}

/** One problem. */
export class ProblemDetail extends ProblemRow {
  @Parts({ description: 'Its newest changes, oldest first, at most 500.', of: () => ProblemChange })
  readonly changes!: readonly ProblemChange[];
  @Flag({ description: 'Whether there are earlier changes.' }) readonly moreChanges!: boolean;
  @Parts({
    description: 'Silences that cover it now, or have hidden it while it was critical.',
    of: () => SilenceRow,
  })
  readonly silences!: readonly SilenceRow[];
  @Parts({
    description: 'Who was notified of it, and whether they accepted it: the newest first, at most 100.',
    of: () => ProblemDelivery,
  })
  readonly deliveries!: readonly ProblemDelivery[];
  @Flag({ description: 'Whether there are more deliveries.' }) readonly moreDeliveries!: boolean;
  @Text({ description: 'Address of the listing of all its deliveries.' })
  readonly deliveriesAddress!: string;
}
