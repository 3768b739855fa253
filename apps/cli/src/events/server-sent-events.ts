export interface ServerSentEvent {
  readonly id: string;
  /** `message` unless the event has a name. */
  readonly type: string;
  /** Empty where the stream only says with which id it continues. */
  readonly data: string;
}

/** An archived event may have several megabytes. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** A line end that the next part may still change is left. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/** Reads Server-Sent Events (HTML Standard, section 9.2.6). Comments and the reconnection time are left out. */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let [id, type, data] = ['', '', ''];
  let hasId = false;
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split(LINE_END);
    rest = lines.pop() ?? '';
    if (rest.length + data.length > MAX_CHARACTERS)
      throw new Error(`an event has more than ${MAX_CHARACTERS} characters`);
    for (const line of lines) {
      if (line === '') {
        if (data !== '' || hasId) yield { id, type: type || 'message', data: data.slice(0, -1) };
        [type, data] = ['', ''];
        hasId = false;
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
      if (field === 'id') [id, hasId] = [value, true];
      else if (field === 'event') type = value;
      else if (field === 'data') data += `${value}\n`;
    }
  }
}
