import { ALERT_REASONS, ALL_PARTICIPANTS, type AlertReason } from '@ssb/events';
import { renderRow } from '@ssb/platform';
import type { LogLine } from '../system/app-process.js';
import type { LinePrinter } from './event-lines.js';

const FAULT_WIDTHS = [17, 27, 10];

/** Prints one line when an app of the bridge reports a fault, with what to do, and one when it ends. */
export function createFaultPrinter(printer: LinePrinter): (app: string, line: LogLine) => void {
  return (app, line) => {
    if (line.msg === 'fault reported') printer.writeAlert(formatFault(app, line));
    else if (line.msg === 'fault ended')
      printer.writeLine(renderRow([...toCells('  ', app, line), 'ended'], FAULT_WIDTHS));
  };
}

function formatFault(app: string, line: LogLine): string {
  const detail = toText(line['detail']);
  const reason = ALERT_REASONS[toText(line['reason']) as AlertReason] as { action: string } | undefined;
  const place = [line['channel'], line['interface'], line['document']].map(toText);
  const description = [
    ...place.filter((part) => part !== '' && !detail.includes(part)),
    detail,
    ...(reason === undefined ? [] : ['→', reason.action]),
  ].join('  ');
  return renderRow([...toCells('!!', app, line), description], FAULT_WIDTHS);
}

function toCells(mark: string, app: string, line: LogLine): string[] {
  const participant = toText(line['participant']);
  return [`${mark} ${app}`, toText(line['reason']), participant === ALL_PARTICIPANTS ? 'all' : participant];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
