import { DeliveryTracker, MAX_UNACKNOWLEDGED_BYTES, availableWindow } from './delivery-tracker.js';

function book(...ids: string[]): DeliveryTracker<number> {
  const made = new DeliveryTracker<number>();
  for (const id of ids) made.record(id, Number(id), 10);
  return made;
}

describe('the book of what was sent', () => {
  it.each<[string, string[][], (number | undefined)[], number, number]>([
    ['nothing', [], [], 3, 3],
    ['the first', [['1']], [1], 2, 2],
    ['all at once', [['1', '2', '3']], [3], 0, 0],
    ['all backwards', [['3'], ['2'], ['1']], [undefined, undefined, 3], 0, 0],
    ['the last alone', [['3']], [undefined], 2, 3],
    ['one twice', [['1'], ['1']], [1, undefined], 2, 2],
    ['one twice in one frame', [['2', '2']], [undefined], 2, 3],
    ['unknown ids', [['9', 'x']], [undefined], 3, 3],
  ])('acknowledging %s', (_, frames, reached, unacknowledged, remembered) => {
    const held = book('1', '2', '3');
    expect(frames.map((ids) => held.acknowledge(ids))).toEqual(reached);
    expect([held.unacknowledged, held.remembered]).toEqual([unacknowledged, remembered]);
  });
});

describe('the room in a window', () => {
  it('is what is not unacknowledged, over all channels', () => {
    expect(availableWindow(10, [book('1', '2'), book('3')])).toBe(7);
  });

  it('ends when large messages wait to be acknowledged, and comes back', () => {
    const held = book('1');
    held.record('2', 2, MAX_UNACKNOWLEDGED_BYTES);
    expect(availableWindow(10, [held])).toBe(0);
    held.acknowledge(['2', '2']);
    expect([held.unacknowledgedBytes, availableWindow(10, [held])]).toEqual([10, 9]);
  });

  it('is never negative', () => {
    expect(availableWindow(1, [book('1', '2')])).toBe(0);
  });

  it('ends as well when four windows are remembered behind one message that nobody acknowledges', () => {
    const held = book('1');
    for (let id = 2; id <= 8; id += 1) {
      held.record(String(id), id, 10);
      held.acknowledge([String(id)]);
    }
    expect([held.unacknowledged, availableWindow(2, [held])]).toEqual([1, 0]);
  });
});
