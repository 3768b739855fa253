import { openApiDocument } from './document.js';

/** The committed form of the OpenAPI document: indented, with a last line feed. */
export function openApiText(tokenService: string): string {
  return `${JSON.stringify(openApiDocument(tokenService), null, 2)}\n`;
}
