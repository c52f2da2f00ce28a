// Plays whole games of 2048 with find_best_move of nneonneo/2048-ai, whose source it includes. Arguments: number of
// games, seed. Prints for each game its score, its number of moves and the processor time of all moves so far, in ms
// per move. peers.py builds it.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#define main original_main
#define printf(...) (0)
#ifdef FIXED
#include "2048_fixed.cpp"
#else
#include "2048.cpp"
#endif
#undef printf
#undef main
int main(int argc, char **argv) {
    init_tables();
    int games = atoi(argv[1]); srand(atoi(argv[2]));
    long all = 0; double spent = 0;
    for (int g = 0; g < games; g++) {
        board_t board = initial_board(); int moves = 0; int penalty = 0;
        struct timespec s, e; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s);
        for (;;) {
            int m; for (m = 0; m < 4; m++) if (execute_move(m, board) != board) break;
            if (m == 4) break;
            m = find_best_move(board);
            if (m < 0) break;
            board_t next = execute_move(m, board);
            if (next == board) { moves--; break; }
            board_t tile = draw_tile(); if (tile == 2) penalty += 4;
            board = insert_tile_rand(next, tile); moves++;
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &e);
        spent += (e.tv_sec - s.tv_sec) + (e.tv_nsec - s.tv_nsec) / 1e9; all += moves;
        printf("%.0f %d %.6f\n", score_board(board) - penalty, moves, 1000 * spent / all); fflush(stdout);
    }
}
