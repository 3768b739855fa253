import { definition } from '../settings.js';
import { eventsDocument } from './events-document.js';
import { restDocument } from './rest-document.js';

/** The descriptions that are committed beside this package's package.json: those of a gateway with the default settings. */
export function committedDocuments(): { name: string; document: Record<string, unknown> }[] {
  const { EVENTS_PROTOCOL, PORT } = definition;
  const defaults = { protocol: EVENTS_PROTOCOL.default, secure: false, port: Number(PORT.default) };
  return [
    { name: 'rest.yaml', document: restDocument() },
    { name: 'ws.yaml', document: eventsDocument(defaults) },
  ];
}
