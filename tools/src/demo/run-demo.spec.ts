import { ResourceStack } from '../lifecycle/resource-stack.js';
import { plain } from '../report/event-lines.js';
import { TooManyParticipantsError } from '../system/scenario.js';
import { runDemo } from './run-demo.js';

it('refuses a scenario that needs several participants before anything starts', async () => {
  let output = '';
  const options = {
    scenario: 'many-participants',
    timeoutSeconds: 1,
    searchPath: '',
    print: (text: string) => void (output += text),
    highlight: plain,
  };
  await expect(runDemo(options, new ResourceStack())).rejects.toThrow(TooManyParticipantsError);
  expect(output).toBe('');
});
