// A program: ends the lab that it is named when its input ends, which is when the process that made the lab is gone.
import { labDown } from './lifecycle.ts';

const [name = ''] = process.argv.slice(2);
process.stdin.resume().once('close', () => labDown(name));
