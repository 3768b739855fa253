import type { Offset } from '../storage/message-log.js';
import {
  ChannelAcknowledgements,
  MAX_UNACKNOWLEDGED_BYTES,
  availableWindow,
} from './channel-acknowledgements.js';

function createAcknowledgements(...ids: string[]): ChannelAcknowledgements {
  const acknowledgements = new ChannelAcknowledgements();
  for (const id of ids) acknowledgements.recordSent(id, id as Offset, 10);
  return acknowledgements;
}

describe('the acknowledgements of a channel', () => {
  it.each<[string, string[][], (string | undefined)[], number, number]>([
    ['nothing', [], [], 3, 3],
    ['the first', [['1']], ['1'], 2, 2],
    ['all at once', [['1', '2', '3']], ['3'], 0, 0],
    ['all backwards', [['3'], ['2'], ['1']], [undefined, undefined, '3'], 0, 0],
    ['the last alone', [['3']], [undefined], 2, 3],
    ['one twice', [['1'], ['1']], ['1', undefined], 2, 2],
    ['one twice in one frame', [['2', '2']], [undefined], 2, 3],
    ['unknown ids', [['9', 'x']], [undefined], 3, 3],
  ])('acknowledging %s', (_, frames, reached, unacknowledged, tracked) => {
    const acknowledgements = createAcknowledgements('1', '2', '3');
    expect(frames.map((ids) => acknowledgements.acknowledge(ids))).toEqual(reached);
    expect([acknowledgements.unacknowledged, acknowledgements.tracked]).toEqual([unacknowledged, tracked]);
  });
});

describe('the available window', () => {
  it('excludes unacknowledged messages of all channels', () => {
    expect(availableWindow(10, [createAcknowledgements('1', '2'), createAcknowledgements('3')])).toBe(7);
  });

  it('is zero while too many bytes are unacknowledged', () => {
    const acknowledgements = createAcknowledgements('1');
    acknowledgements.recordSent('2', '2' as Offset, MAX_UNACKNOWLEDGED_BYTES);
    expect(availableWindow(10, [acknowledgements])).toBe(0);
    acknowledgements.acknowledge(['2', '2']);
    expect([acknowledgements.unacknowledgedBytes, availableWindow(10, [acknowledgements])]).toEqual([10, 9]);
  });

  it('is never negative', () => {
    expect(availableWindow(1, [createAcknowledgements('1', '2')])).toBe(0);
  });

  it('is zero when four windows are tracked behind one unacknowledged message', () => {
    const acknowledgements = createAcknowledgements('1');
    for (let id = 2; id <= 8; id += 1) {
      acknowledgements.recordSent(String(id), String(id) as Offset, 10);
      acknowledgements.acknowledge([String(id)]);
    }
    expect([acknowledgements.unacknowledged, availableWindow(2, [acknowledgements])]).toEqual([1, 0]);
  });
});
