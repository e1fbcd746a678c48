// Owns the readers of Node: node readers.js KIND PAUSE_MS OUT [COMMAND...]
//
// Reads the standard output of COMMAND (data, for-await) or its own standard input (stdin) to the end, then writes the
// bytes to the file OUT and the sizes of the reads, as [size, times] pairs, to OUT.sizes.
'use strict';
const fs = require('fs');
const { spawn } = require('child_process');

const [kind, pause, out, command, ...argv] = process.argv.slice(2);
const cell = new Int32Array(new SharedArrayBuffer(4));
const pieces = [];
const runs = [];

function add(piece) {
  pieces.push(piece);
  if (runs.length && runs[runs.length - 1][0] === piece.length) runs[runs.length - 1][1] += 1;
  else runs.push([piece.length, 1]);
  if (Number(pause)) Atomics.wait(cell, 0, 0, Number(pause)); // blocks the loop, as a busy program does
}

function finish() {
  fs.writeFileSync(out, Buffer.concat(pieces));
  fs.writeFileSync(`${out}.sizes`, JSON.stringify(runs));
}

async function iterate(stream) {
  for await (const piece of stream) add(piece);
}

if (kind === 'stdin') {
  process.stdin.on('data', add);
  process.stdin.on('end', finish);
} else {
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  if (kind === 'data') {
    child.stdout.on('data', add);
    child.on('close', finish);
  } else {
    iterate(child.stdout).then(finish);
  }
}
