// Reads one address per line, answers with one JSON line: the time of a
// snapshot of that page and its text. An empty line takes it again.
import readline from 'node:readline';
import { Stagehand } from '@browserbasehq/stagehand';

const stagehand = new Stagehand({
  env: 'LOCAL', verbose: 0, disablePino: true, logger: () => {}, model: { modelName: 'openai/gpt-4.1-mini', apiKey: 'unused' },
  localBrowserLaunchOptions: { cdpUrl: process.argv[2] },
});
await stagehand.init();
const page = stagehand.context.pages()[0] || (await stagehand.context.newPage());
for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    if (line) {
      await page.goto(line);
      console.log('{"ms":0,"text":""}');
      continue;
    }
    const start = performance.now();
    const snap = await page.snapshot();
    console.log(JSON.stringify({ ms: performance.now() - start, text: snap.formattedTree || snap.combinedTree || '' }));
  } catch (e) {
    console.log(JSON.stringify({ error: String(e) }));
  }
}
process.exit(0);
