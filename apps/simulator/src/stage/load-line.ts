import type { BulkLine, LoadAnswer, OperatorClient } from '@ssb/market';

/** Loads one record through the path of its own kind. */
export function loadLine(door: OperatorClient, line: BulkLine): Promise<LoadAnswer> {
  switch (line.kind) {
    case 'prudential':
      return door.loadPrudential(line.record.participantCode, line.record.calculation);
    case 'prudential-details':
      return door.loadPrudentialDetail(line.record);
    case 'prudential-estimations':
      return door.loadPrudentialEstimation(line.record);
    case 'statements':
      return door.loadStatement(line.record.statement);
    case 'statement-details':
      return door.loadStatementDetail(line.record.details);
    case 'statement-estimations':
      return door.loadStatementEstimation(line.record.details);
    case 'invoices':
      return door.loadInvoice(line.record);
    case 'timelines':
      return door.loadTimeline(line.record.timeline);
  }
}
