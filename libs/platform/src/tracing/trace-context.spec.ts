import { formatTraceparent, parseTraceparent, randomContext } from './trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  // The first two are examples of W3C Trace Context §3.2.
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    // Unknown flags are ignored, and a later version may append fields (§4.3).
    [`00-${TRACE}-${SPAN}-ff`, 1],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, 1],
  ])('%s names its trace and span', (text, traceFlags) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  });

  it.each([
    undefined,
    null,
    1,
    {},
    [`00-${TRACE}-${SPAN}-01`],
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(255)}`,
  ])('is ignored when it is %j', (value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });

  it('is read as it was written', () => {
    const context = randomContext();
    expect(parseTraceparent(formatTraceparent(context))).toEqual({ ...context, isRemote: true });
  });
});
