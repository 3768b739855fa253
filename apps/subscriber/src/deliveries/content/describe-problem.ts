import { hasEnded } from '../../domain/delivery-kind.js';
import {
  describeBody,
  describeMessage,
  type DescribedMessage,
  type HumanMessage,
} from './describe-message.js';
import { readMessageBody } from './message-body.js';

/**
 * The present state of a problem, in the same words whichever message has it. A silence, and a problem that has ended after the event of the message, are
 * described as a message.
 */
export function describeProblem(message: DescribedMessage, consoleUrl?: string): HumanMessage {
  const { event, silence, problem } = readMessageBody(message.text);
  const present = message.problem ?? problem;
  const isOver = hasEnded(message.problemState);
  if (event === undefined || silence !== undefined || !present || hasEnded(present.state) !== isOver)
    return describeMessage(message, consoleUrl);
  const isClosed = message.problemState === 'closed';
  const isAcknowledged = !isOver && present.acknowledged !== undefined;
  const body = {
    message: isClosed ? 'closed' : isAcknowledged ? 'acknowledged' : 'event',
    event,
    problem: present,
  };
  const kind = message.problemState === 'resolved' ? 'resolved' : 'alert';
  return describeBody(body, { ...message, eventId: event.id, kind }, consoleUrl);
}
