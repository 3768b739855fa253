import type { RawData } from 'ws';

/** A WebSocket frame as text, in whichever of its three forms ws hands it over. */
export function frameText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
}
