import type { FastifyAdapter } from '@nestjs/platform-fastify';

const JSON_TYPE = 'application/json';

/**
 * Reads only JSON bodies. A page of another origin can send forms and text without a preflight, with the client certificate of the browser.
 * An app that needs another type adds its parser.
 */
export function acceptOnlyJson(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.removeAllContentTypeParsers();
  adapter.useBodyParser(JSON_TYPE, false, { bodyLimit: server.initialConfig.bodyLimit });
}
