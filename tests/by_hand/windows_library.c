/* Plays on from copies of memory that windows_library.py has written, with the library for
   Windows: PROGRAM LIBRARY LEVEL STEPS, and on stdin a line with two paths for each game. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static HMODULE library;
static int level;

static void *routine(const char *name) {
    char full[128];
    for (int one = level; one > 1; one--) {
        snprintf(full, sizeof full, "%s_v%d", name, one);
        void *found = (void *)GetProcAddress(library, full);
        if (found) return found;
    }
    void *found = (void *)GetProcAddress(library, name);
    if (!found) { fprintf(stderr, "no routine %s\n", name); exit(3); }
    return found;
}

static int64_t number(FILE *file) {
    int64_t value;
    if (fread(&value, 8, 1, file) != 1) { fprintf(stderr, "a file is too short\n"); exit(3); }
    return value;
}

static void play(const char *from, const char *to, int steps) {
    FILE *file = fopen(from, "rb");
    if (!file) { fprintf(stderr, "cannot open %s\n", from); exit(3); }
    int64_t count = number(file), links = number(file);
    int64_t first = number(file);
    char **arrays = malloc(count * sizeof *arrays);
    int64_t *sizes = malloc(count * sizeof *sizes);
    for (int64_t i = 0; i < count; i++) {
        sizes[i] = number(file);
        arrays[i] = _aligned_malloc(sizes[i] + 64, 64); /* as numpy aligns at least */
        if (sizes[i] && fread(arrays[i], 1, sizes[i], file) != (size_t)sizes[i]) exit(3);
    }
    char **places = malloc((links + 1) * sizeof *places);
    for (int64_t i = 0; i < links; i++) {
        int64_t array = number(file), offset = number(file);
        int64_t target = number(file), within = number(file);
        char name[64];
        if (fread(name, 1, sizeof name, file) != sizeof name) exit(3);
        void *address = target < 0 ? routine(name) : arrays[target] + within;
        places[i] = arrays[array] + offset;
        memcpy(places[i], &address, 8);
    }
    fclose(file);
    int64_t (*play_games)(int64_t) = (int64_t(*)(int64_t))routine("play_games");
    int64_t call = (int64_t)(intptr_t)arrays[first], fault = 0;
    for (int i = 0; i < steps; i++) fault = play_games(call);
    for (int64_t i = 0; i < links; i++) memset(places[i], 0, 8);
    FILE *written = fopen(to, "wb");
    fwrite(&fault, 8, 1, written);
    for (int64_t i = 0; i < count; i++) {
        fwrite(arrays[i], 1, sizes[i], written);
        _aligned_free(arrays[i]);
    }
    fclose(written);
    free(arrays), free(sizes), free(places);
}

int main(int count, char **words) {
    char from[512], to[512];
    if (count != 4) return 2;
    library = LoadLibraryA(words[1]);
    if (!library) { fprintf(stderr, "cannot load %s\n", words[1]); return 3; }
    int (*own)(void) = (int (*)(void))GetProcAddress(library, "processor_level");
    level = atoi(words[2] + 1);
    if (level > own() + 1) { /* its levels are counted from v2 as 1 */ printf("this processor is below %s\n", words[2]); return 0; }
    while (scanf("%511s %511s", from, to) == 2) play(from, to, atoi(words[3]));
    printf("played\n");
    return 0;
}
