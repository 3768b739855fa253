import { formatDay } from '../../format/market-time.js';

/**
 * What the subject of an event says in addition to its type and participant, in words. Empty when that is nothing.
 * @param subject as the event has it, such as `ALPHA/WEM/2026-03-01/INITIAL/invoice/INV-0007`
 */
export function describeSubject(subject: string, participant: string): string {
  const own = subject.startsWith(`${participant}/`) ? subject.slice(participant.length + 1) : subject;
  const [first = '', second = '', third = '', ...rest] = own.split('/');
  if (/^\d{4}-\d\d-\d\d$/.test(second))
    return `${describePart(rest)}${first} ${third} from ${formatDay(second)}`;
  switch (first) {
    case 'prudential':
    case 'credit-support':
    case 'position':
    case 'timeline':
      return '';
    case 'margin-forecast':
      return second === 'operator' ? 'by the forecast of the operator' : `by the ${second}`;
    case 'market':
      return `${second} interface`;
    case 'bridge':
      return `${second}: ${third.replaceAll('-', ' ')}`;
    case 'heartbeat':
      return `${second.split('.', 1)[0]} channel`;
    default:
      return own;
  }
}

/** What of a settlement run: it comes first, because lists cut long texts. */
function describePart([part, id = '']: readonly string[]): string {
  if (part === 'invoice') return `invoice ${id} of `;
  if (part === 'estimation') return `trading day ${formatDay(id)} of `;
  return '';
}
