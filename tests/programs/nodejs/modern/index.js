import { readFile } from "node:fs/promises";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const names = JSON.parse(await readFile(new URL("./names.json", import.meta.url), "utf8"));
const pets = names.map((name) => new random.RandomPet(name, { separator: "." }));

export const pair = pulumi.all(pets.map((pet) => pet.separator)).apply((all) => all.join(""));
export const many = pets.length;
