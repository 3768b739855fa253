import { RunningBus } from '../harness/running-bus.js';

/** The bus of all suites in this folder, whose broker responds as public gateways expect. Its gateways have no identity yet. */
export let bus: RunningBus;

beforeAll(async () => {
  bus = await RunningBus.start({
    gateways: ['plain', 'publisher', 'subscriber'],
    enrolled: false,
    brokerSettings: { BROKER_COMPATIBILITY: 'dsb' },
  });
});

afterAll(() => bus?.stop());
