import {
  AMOUNTS,
  findTypePattern,
  findWorstSeverity,
  HEARTBEAT_TYPE,
  openingTypes,
  parseAmount,
  suggestTypes,
  type AlertFacts,
  type OperatorConfig,
  type SilenceFacts,
} from '@ssb/config';
import {
  ALERT_REASON_NAMES,
  ALL_PARTICIPANTS,
  EVENT_TYPES,
  isAlertReason,
  problemKindOf,
  type AlertReason,
  type EventType,
  type Severity,
} from '@ssb/events';
import { CommandError, EXIT } from '../exit.js';

/** The event of `busbridge alerts explain`, as a person writes it. */
export interface EventOptions {
  readonly participant?: string;
  readonly severity?: Severity;
  readonly amount?: string;
  /** Of a fault of the bridge. */
  readonly reason?: string;
  /** It resolves an open problem. */
  readonly resolves?: true;
}

/** What the rules compare of the event; a missing option has the value that this configuration gives. @throws CommandError */
export function readFacts(config: OperatorConfig, text: string, options: EventOptions): SilenceFacts {
  const type = readType(text);
  const participant = readParticipant(config, type, options.participant);
  const problem = readProblem(type, options);
  const severity = options.severity ?? (problem ? findWorstSeverity(config, type, participant) : 'info');
  if (problem === undefined && severity !== 'info')
    throw unfit(
      `${type} is about no problem, so its severity is info. ${RESOLVING.includes(type) ? 'Add --resolves, or leave' : 'Leave'} --severity out.`,
    );
  const amount = readAmount(config, type, options.amount);
  const reason = readReason(type, options.reason);
  return { type, participant, severity, problem, amount, ...(reason && { reason }) };
}

/** An option does not fit the event or the configuration. */
const unfit = (sentence: string): CommandError => new CommandError(sentence, EXIT.usage);

function readReason(type: EventType, text: string | undefined): AlertReason | undefined {
  if (text === undefined) return undefined;
  if (problemKindOf(type) !== 'bridge-fault')
    throw unfit(`${type} is not a fault of the bridge. Leave --reason out.`);
  if (!isAlertReason(text))
    throw unfit(`${text} is not a reason. Give --reason with one of ${ALERT_REASON_NAMES.join(', ')}.`);
  return text;
}

function readType(text: string): EventType {
  const pattern = findTypePattern(text);
  const type = EVENT_TYPES.find((each) => each === pattern);
  if (type === undefined) throw unfit(`${text} is not an event type. ${suggestTypes(text)}`);
  if (type === HEARTBEAT_TYPE)
    throw unfit('Heartbeats go to no sink, whatever the rules say. Give another type.');
  return type;
}

function readParticipant(config: OperatorConfig, type: EventType, code: string | undefined): string {
  const codes = [
    ...(type.startsWith('settlementbus.bridge.') ? [ALL_PARTICIPANTS] : []),
    ...config.participants.map((each) => each.code),
  ];
  const [first = ''] = codes;
  if (code === undefined && (codes.length === 1 || first === ALL_PARTICIPANTS)) return first;
  if (code !== undefined && codes.includes(code)) return code;
  const problem = code === undefined ? 'The file has several participants.' : `${code} is not a participant.`;
  throw unfit(`${problem} Give --participant with one of ${codes.join(', ')}.`);
}

/** Types whose events resolve an open problem, or are about none. */
const RESOLVING = EVENT_TYPES.filter((type) => {
  const kind = problemKindOf(type);
  return kind !== undefined && !openingTypes(kind).includes(type);
});

/** The kind of problem that events of a type can resolve. */
export function resolvableKind(type: EventType): AlertFacts['problem'] {
  return RESOLVING.includes(type) ? problemKindOf(type) : undefined;
}

function readProblem(type: EventType, { resolves }: EventOptions): AlertFacts['problem'] {
  if (resolves && !RESOLVING.includes(type))
    throw unfit(`${type} resolves no problem. Leave --resolves out, or give one of ${RESOLVING.join(', ')}.`);
  return resolves || !RESOLVING.includes(type) ? problemKindOf(type) : undefined;
}

function readAmount(config: OperatorConfig, type: EventType, text: string | undefined): AlertFacts['amount'] {
  const description = AMOUNTS[type];
  if (text === undefined) {
    if (description === undefined || config.alerts.rules.every(({ amounts }) => amounts === undefined))
      return undefined;
    throw unfit(
      `The rules compare the amount of ${type}, which is ${description.meaning}. Give it with --amount.`,
    );
  }
  if (description === undefined) throw unfit(`${type} has no amount. Leave --amount out.`);
  const amount = parseAmount(type, text);
  if (amount === undefined)
    throw unfit(`${text} is not an amount. Give digits with a decimal point, such as --amount -1000000.00.`);
  return amount;
}
