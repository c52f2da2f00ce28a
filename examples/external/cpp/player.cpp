// A player of a dice game that speaks the protocol of docs/external.md without a JSON library.
//
//     g++ -O2 -std=c++17 -o player player.cpp
//
// The game is Pig for one player, over ten turns. Each roll of a die adds points at risk; a 1 loses them and
// ends the turn. The player holds once the points at risk reach hold_at + per_turn * (turns left).
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// The value of a weight in a task such as {"weights":{"hold_at":20.5,"per_turn":0},"seeds":["7"]}.
double weight(const std::string& task, const std::string& name) {
    return std::stod(task.substr(task.find("\"" + name + "\":") + name.size() + 3));
}

// The texts in the array "seeds".
std::vector<std::uint64_t> seeds(const std::string& task) {
    std::vector<std::uint64_t> found;
    std::size_t at = task.find('[', task.find("\"seeds\""));
    while ((at = task.find('"', at)) != std::string::npos) {
        const std::size_t end = task.find('"', at + 1);
        found.push_back(std::stoull(task.substr(at + 1, end - at - 1)));
        at = end + 1;
    }
    return found;
}

// SplitMix64: the same numbers on every machine.
struct Dice {
    std::uint64_t state;
    int roll() {
        std::uint64_t bits = state += 0x9e3779b97f4a7c15;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        return static_cast<int>((bits ^ (bits >> 31)) % 6) + 1;
    }
};

int play(double hold_at, double per_turn, std::uint64_t seed, int& rolls) {
    Dice dice{seed};
    int banked = 0;
    rolls = 0;
    for (int left = 9; left >= 0; --left) {
        int risk = 0;
        while (risk < hold_at + per_turn * left) {
            const int rolled = dice.roll();
            ++rolls;
            if (rolled == 1) {
                risk = 0;
                break;
            }
            risk += rolled;
        }
        banked += risk;
    }
    return banked;
}

int main() {
    std::cout << R"({"protocol":1,"program":"pig","parameters":["hold_at","per_turn"],)"
              << R"("numbers":["score","rolls"]})" << std::endl;
    for (std::string task; std::getline(std::cin, task);) {
        std::ostringstream scores, rolls;
        const char* comma = "";
        for (const std::uint64_t seed : seeds(task)) {
            int count = 0;
            scores << comma << play(weight(task, "hold_at"), weight(task, "per_turn"), seed, count);
            rolls << comma << count;
            comma = ",";
        }
        std::cout << "{\"score\":[" << scores.str() << "],\"rolls\":[" << rolls.str() << "]}" << std::endl;
    }
}
