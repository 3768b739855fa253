import { createCommand } from './create-command.js';

it('errors are shown escaped, because they repeat arguments', () => {
  let shown = '';
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += String(text);
    return true;
  });
  const parse = (): unknown =>
    createCommand('npm run demo --').exitOverride().parse(['--\u001b[2J\u202e'], { from: 'user' });
  expect(parse).toThrow('unknown option');
  write.mockRestore();
  expect(shown).toBe("error: unknown option '--\\u001b[2J\\u202e'\n");
});
