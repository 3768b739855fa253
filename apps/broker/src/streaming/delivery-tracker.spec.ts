import { DeliveryTracker, MAX_UNACKNOWLEDGED_BYTES, availableWindow } from './delivery-tracker.js';

function createTracker(...ids: string[]): DeliveryTracker<number> {
  const tracker = new DeliveryTracker<number>();
  for (const id of ids) tracker.recordSent(id, Number(id), 10);
  return tracker;
}

describe('the delivery tracker', () => {
  it.each<[string, string[][], (number | undefined)[], number, number]>([
    ['nothing', [], [], 3, 3],
    ['the first', [['1']], [1], 2, 2],
    ['all at once', [['1', '2', '3']], [3], 0, 0],
    ['all backwards', [['3'], ['2'], ['1']], [undefined, undefined, 3], 0, 0],
    ['the last alone', [['3']], [undefined], 2, 3],
    ['one twice', [['1'], ['1']], [1, undefined], 2, 2],
    ['one twice in one frame', [['2', '2']], [undefined], 2, 3],
    ['unknown ids', [['9', 'x']], [undefined], 3, 3],
  ])('acknowledging %s', (_, frames, reached, unacknowledged, tracked) => {
    const tracker = createTracker('1', '2', '3');
    expect(frames.map((ids) => tracker.acknowledge(ids))).toEqual(reached);
    expect([tracker.unacknowledged, tracker.tracked]).toEqual([unacknowledged, tracked]);
  });
});

describe('the available window', () => {
  it('excludes unacknowledged messages of all channels', () => {
    expect(availableWindow(10, [createTracker('1', '2'), createTracker('3')])).toBe(7);
  });

  it('is zero while too many bytes are unacknowledged', () => {
    const tracker = createTracker('1');
    tracker.recordSent('2', 2, MAX_UNACKNOWLEDGED_BYTES);
    expect(availableWindow(10, [tracker])).toBe(0);
    tracker.acknowledge(['2', '2']);
    expect([tracker.unacknowledgedBytes, availableWindow(10, [tracker])]).toEqual([10, 9]);
  });

  it('is never negative', () => {
    expect(availableWindow(1, [createTracker('1', '2')])).toBe(0);
  });

  it('is zero when four windows are tracked behind one unacknowledged message', () => {
    const tracker = createTracker('1');
    for (let id = 2; id <= 8; id += 1) {
      tracker.recordSent(String(id), id, 10);
      tracker.acknowledge([String(id)]);
    }
    expect([tracker.unacknowledged, availableWindow(2, [tracker])]).toEqual([1, 0]);
  });
});
