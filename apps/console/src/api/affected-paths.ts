import type { GetPath } from './api-client.js';

const PROBLEMS: readonly GetPath[] = ['/v1/problems', '/v1/problems/{id}', '/v1/deliveries'];
const MARKET: readonly GetPath[] = [
  '/v1/settlement-calendar',
  '/v1/statements/{id}',
  '/v1/statements/{id}/differences',
  '/v1/invoices',
  '/v1/payments',
  '/v1/open-items',
];
/** Only the event of a document changes them. */
const DOCUMENTS: readonly GetPath[] = ['/v1/documents', '/v1/open-items'];
const POSITIONS: readonly GetPath[] = ['/v1/positions'];

/** The readings of the API that an event of this type can change. */
export function affectedPaths(type: string): readonly GetPath[] {
  const [group = '', what = ''] = type.replace(/^settlementbus\./, '').split('.');
  switch (group) {
    case 'position':
      return what === 'calculated' ? POSITIONS : [...POSITIONS, ...PROBLEMS];
    case 'margin':
    case 'credit-support':
      return [...POSITIONS, ...PROBLEMS];
    case 'invoice':
      return [...(what === 'document-stored' ? DOCUMENTS : MARKET), ...PROBLEMS];
    case 'statement':
    case 'payment':
    case 'timeline':
      return [...MARKET, ...PROBLEMS];
    default:
      return [...PROBLEMS, '/v1/status'];
  }
}
